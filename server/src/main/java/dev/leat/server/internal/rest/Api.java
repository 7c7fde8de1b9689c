package dev.leat.server.internal.rest;

import static dev.leat.server.Role.ADMIN;
import static dev.leat.server.Role.CONSUME;
import static dev.leat.server.Role.OPERATE;
import static dev.leat.server.Role.PRODUCE;

import dev.leat.Leat;
import dev.leat.server.ServerOptions;
import dev.leat.server.internal.events.EventFilter;
import dev.leat.server.internal.metrics.Metrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The routes of REST v1, each with the role that it needs. */
public final class Api {
    private Api() {}

    public static List<Route> routes(Leat leat, QueueAccess gate, ServerOptions options) {
        QueueRoutes queues = new QueueRoutes(leat);
        TaskRoutes tasks = new TaskRoutes(leat, gate, options.longestWait());
        OutcomeRoutes outcomes = new OutcomeRoutes(leat, gate, options.longestWait());
        GroupRoutes groups = new GroupRoutes(leat);
        SubscriptionRoutes subscriptions = new SubscriptionRoutes(leat);
        ScheduleRoutes schedules = new ScheduleRoutes(leat);
        SessionRoutes sessions = new SessionRoutes(leat);
        HealthRoutes health = new HealthRoutes(leat);
        Metrics metrics = new Metrics(leat);
        List<Route> routes = new ArrayList<>(List.of(
                Route.direct(OPERATE, "GET", "/v1/queues", queues::list),
                Route.direct(ADMIN, "PUT", "/v1/queues/{queue}", queues::configure),
                Route.direct(OPERATE, "GET", "/v1/queues/{queue}", queues::get),
                Route.direct(ADMIN, "DELETE", "/v1/queues/{queue}", queues::drop),
                Route.direct(OPERATE, "POST", "/v1/queues/{queue}/pause", queues::pause),
                Route.direct(OPERATE, "POST", "/v1/queues/{queue}/resume", queues::resume),
                Route.direct(OPERATE, "POST", "/v1/queues/{queue}/kick", queues::kick),
                Route.direct(OPERATE, "POST", "/v1/queues/{queue}/redrive", queues::redrive),
                Route.direct(ADMIN, "POST", "/v1/queues/{queue}/truncate", queues::truncate),
                Route.direct(OPERATE, "POST", "/v1/queues/{queue}/release-all", queues::releaseAll),
                Route.direct(OPERATE, "GET", "/v1/queues/{queue}/tenants", queues::tenants),
                Route.direct(OPERATE, "GET", "/v1/stats", queues::stats)));
        routes.addAll(List.of(
                Route.direct(PRODUCE, "POST", "/v1/queues/{queue}/tasks", tasks::put),
                Route.waiting(CONSUME, "POST", "/v1/queues/{queue}/take", tasks.take()),
                Route.direct(CONSUME, "POST", "/v1/settle", tasks::settle),
                Route.direct(CONSUME, "POST", "/v1/touch", tasks::touch),
                Route.direct(CONSUME, "POST", "/v1/chunk", outcomes::chunk),
                Route.waiting(PRODUCE, "GET", "/v1/tasks/{id}/outcome", outcomes.ofTask()),
                Route.waiting(PRODUCE, "GET", "/v1/queues/{queue}/outcome", outcomes.ofAddress()),
                Route.direct(OPERATE, "GET", "/v1/tasks", tasks::list),
                Route.direct(OPERATE, "GET", "/v1/tasks/{id}", tasks::get),
                Route.direct(OPERATE, "DELETE", "/v1/tasks/{id}", tasks::delete),
                Route.direct(OPERATE, "POST", "/v1/tasks/{id}/bury", tasks::bury),
                Route.direct(OPERATE, "POST", "/v1/tasks/{id}/cancel", tasks::cancel),
                Route.direct(OPERATE, "POST", "/v1/tasks/{id}/kick", tasks::kick)));
        routes.addAll(List.of(
                Route.direct(PRODUCE, "POST", "/v1/workflows", groups::startWorkflow),
                Route.direct(PRODUCE, "POST", "/v1/groups", groups::create),
                Route.direct(PRODUCE, "GET", "/v1/groups", groups::find),
                Route.direct(PRODUCE, "GET", "/v1/groups/{group}", groups::get),
                Route.direct(PRODUCE, "POST", "/v1/groups/{group}/start", groups::start),
                Route.direct(PRODUCE, "POST", "/v1/groups/{group}/cancel", groups::cancel)));
        routes.addAll(List.of(
                Route.direct(OPERATE, "GET", "/v1/subscriptions", subscriptions::list),
                Route.direct(ADMIN, "PUT", "/v1/subscriptions/{subscription}", subscriptions::put),
                Route.direct(OPERATE, "GET", "/v1/subscriptions/{subscription}", subscriptions::get),
                Route.direct(ADMIN, "DELETE", "/v1/subscriptions/{subscription}", subscriptions::drop),
                Route.direct(ADMIN, "POST", "/v1/subscriptions/{subscription}/disable", subscriptions::disable),
                Route.direct(ADMIN, "POST", "/v1/subscriptions/{subscription}/enable", subscriptions::enable)));
        routes.addAll(List.of(
                Route.direct(OPERATE, "GET", "/v1/schedules", schedules::list),
                Route.direct(ADMIN, "PUT", "/v1/schedules/{schedule}", schedules::put),
                Route.direct(OPERATE, "GET", "/v1/schedules/{schedule}", schedules::get),
                Route.direct(ADMIN, "DELETE", "/v1/schedules/{schedule}", schedules::drop),
                Route.direct(OPERATE, "GET", "/v1/schedules/{schedule}/next", schedules::next),
                Route.direct(OPERATE, "POST", "/v1/schedules/{schedule}/pause", schedules::pause),
                Route.direct(OPERATE, "POST", "/v1/schedules/{schedule}/resume", schedules::resume),
                Route.direct(OPERATE, "POST", "/v1/schedules/{schedule}/trigger", schedules::trigger)));
        routes.addAll(List.of(
                Route.direct(CONSUME, "POST", "/v1/sessions", sessions::open),
                Route.direct(CONSUME, "POST", "/v1/sessions/{session}/heartbeat", sessions::heartbeat),
                Route.direct(CONSUME, "DELETE", "/v1/sessions/{session}", sessions::close),
                new Route("GET", "/v1/events", Optional.of(OPERATE), new Route.Listening(Api::eventFilter)),
                Route.open("/health/live", new Route.Always(HealthRoutes.LIVE)),
                Route.open("/health/ready", new Route.Direct(health::ready)),
                new Route("GET", "/metrics", Optional.of(OPERATE), new Route.Text(Metrics.TYPE, metrics::scrape)),
                Route.open("/openapi.json", new Route.Always(OpenApi.DOCUMENT))));
        return List.copyOf(routes);
    }

    private static EventFilter eventFilter(RestCall call) {
        call.allowQuery(Set.of("queue", "state", "kind"));
        return EventFilter.of(call.grant(), call.query("queue"), call.query("state"), call.query("kind"));
    }
}
