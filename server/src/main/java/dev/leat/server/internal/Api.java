package dev.leat.server.internal;

import dev.leat.Leat;
import dev.leat.server.ServerOptions;
import java.util.ArrayList;
import java.util.List;

/** The routes of REST v1. */
final class Api {
    private Api() {}

    static List<Route> routes(Leat leat, ServerOptions options) {
        QueueRoutes queues = new QueueRoutes(leat);
        TaskRoutes tasks = new TaskRoutes(leat, options.longestWait());
        SessionRoutes sessions = new SessionRoutes(leat);
        HealthRoutes health = new HealthRoutes(leat);
        List<Route> routes = new ArrayList<>(List.of(
                Route.direct("GET", "/v1/queues", queues::list),
                Route.direct("PUT", "/v1/queues/{queue}", queues::configure),
                Route.direct("GET", "/v1/queues/{queue}", queues::get),
                Route.direct("DELETE", "/v1/queues/{queue}", queues::drop),
                Route.direct("POST", "/v1/queues/{queue}/pause", queues::pause),
                Route.direct("POST", "/v1/queues/{queue}/resume", queues::resume),
                Route.direct("POST", "/v1/queues/{queue}/kick", queues::kick),
                Route.direct("POST", "/v1/queues/{queue}/truncate", queues::truncate),
                Route.direct("POST", "/v1/queues/{queue}/release-all", queues::releaseAll),
                Route.direct("GET", "/v1/stats", queues::stats)));
        routes.addAll(List.of(
                Route.direct("POST", "/v1/queues/{queue}/tasks", tasks::put),
                new Route("POST", "/v1/queues/{queue}/take", new Route.Waiting(tasks::take, TaskRoutes::taken)),
                Route.direct("POST", "/v1/settle", tasks::settle),
                Route.direct("POST", "/v1/touch", tasks::touch),
                Route.direct("GET", "/v1/tasks", tasks::list),
                Route.direct("GET", "/v1/tasks/{id}", tasks::get),
                Route.direct("DELETE", "/v1/tasks/{id}", tasks::delete),
                Route.direct("POST", "/v1/tasks/{id}/bury", tasks::bury),
                Route.direct("POST", "/v1/tasks/{id}/cancel", tasks::cancel),
                Route.direct("POST", "/v1/tasks/{id}/kick", tasks::kick)));
        routes.addAll(List.of(
                Route.direct("POST", "/v1/sessions", sessions::open),
                Route.direct("POST", "/v1/sessions/{session}/heartbeat", sessions::heartbeat),
                Route.direct("DELETE", "/v1/sessions/{session}", sessions::close),
                new Route("GET", "/health/live", new Route.Always(HealthRoutes.LIVE)),
                Route.direct("GET", "/health/ready", health::ready)));
        return List.copyOf(routes);
    }
}
