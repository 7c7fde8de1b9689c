package dev.leat.sql.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.leat.SessionSpec;
import dev.leat.TakeRequest;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Sweep;
import dev.leat.topic.Subscription;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The table of nsj-queue-lib, for those who come from it: its columns and words. Covers N4, N15, N18 to N21, N24. */
abstract class NsjViewContract extends ViewTest {
    private List<Map<String, Object>> tarefas(long id) throws SQLException {
        return rows("SELECT * FROM leat_tarefas WHERE id_leat = " + id + " ORDER BY tentativa");
    }

    @Test
    void theColumnsAreThoseOfItsTable() throws SQLException { // N4
        assertThat(seen().columns("leat_tarefas"))
                .startsWith(("id id_inicial data_hora_inicial data_hora origem destino processo chave_externa"
                                + " proxima_tentativa tentativa status reenfileirado estouro_tentativas mensagem"
                                + " id_anterior data_hora_anterior status_anterior mensagem_anterior payload tenant"
                                + " grupo_empresarial payload_hash pub_sub publication_id subscriber_id dead live_id"
                                + " prioridade")
                        .split(" "));
    }

    @Test
    void whatNobodySaidIsAsInItsTable() throws SQLException { // N4
        storage.queues().create(queue, QueueOptions.nsj());
        long id = put(task());

        assertThat(tarefas(id)).hasSize(1);
        assertThat(tarefas(id).get(0))
                .contains(
                        entry("data_hora_inicial", clock.instant()),
                        entry("data_hora", clock.instant()),
                        entry("tentativa", "1"),
                        entry("status", "pendente"),
                        entry("reenfileirado", false),
                        entry("estouro_tentativas", false),
                        entry("pub_sub", false),
                        entry("dead", false))
                .contains(
                        entry("origem", null),
                        entry("destino", null),
                        entry("chave_externa", null),
                        entry("proxima_tentativa", null),
                        entry("mensagem", null),
                        entry("tenant", null),
                        entry("grupo_empresarial", null),
                        entry("payload_hash", null),
                        entry("publication_id", null),
                        entry("subscriber_id", null),
                        entry("live_id", null));
    }

    @Test
    void moreImportantIsAHigherNumber() throws SQLException { // N24
        create(retrying(10));
        put(task().priority(-40));
        long urgent = put(task().priority(-60));

        assertThat(take().id()).isEqualTo(urgent);
        assertThat(tarefas(urgent)).extracting(row -> row.get("prioridade")).containsExactly("60");
    }

    @Test
    void aPublicationAndItsReplicasKnowEachOther() throws SQLException { // N36, N39
        create(retrying(10));
        storage.subscriptions().put(Subscription.to(queue, "cobranca"));
        long publication = put(task().payload("{}").publication());
        ack();
        long replica = take().id();

        assertThat(tarefas(publication)).hasSize(1);
        assertThat(tarefas(publication).get(0))
                .contains(entry("status", "sucesso"), entry("pub_sub", true), entry("subscriber_id", null));
        assertThat(tarefas(replica)).hasSize(1);
        assertThat(tarefas(replica).get(0))
                .contains(
                        entry("status", "processando"),
                        entry("pub_sub", false),
                        entry("publication_id", tarefas(publication).get(0).get("id_inicial")),
                        entry("subscriber_id", "cobranca"),
                        entry("payload", "{}"));
        storage.subscriptions().drop("cobranca");
    }

    @Test
    void itsRetriesAreRowsOfOneChain() throws SQLException { // N4, N18, N19
        storage.queues().create(queue, QueueOptions.nsj());
        Instant put = clock.instant();
        long id = put(task().payload("{}")
                .priority(-50)
                .type("faturar")
                .origin("loja")
                .destination("erp")
                .externalKey("pedido 9")
                .tenant("47")
                .businessGroup("norte"));
        clock.advance(MINUTE);
        fail("erro");

        List<Map<String, Object>> tarefas = tarefas(id);

        Instant retry = put.plus(Duration.ofMinutes(5));
        String first = id + "000001";
        assertThat(tarefas).hasSize(2);
        assertThat(tarefas.get(0))
                .contains(
                        entry("id", first),
                        entry("id_inicial", first),
                        entry("data_hora_inicial", put),
                        entry("data_hora", put),
                        entry("origem", "loja"),
                        entry("destino", "erp"),
                        entry("processo", "faturar"),
                        entry("chave_externa", "pedido 9"),
                        entry("proxima_tentativa", retry),
                        entry("tentativa", "1"),
                        entry("status", "falha"),
                        entry("reenfileirado", true),
                        entry("estouro_tentativas", false),
                        entry("mensagem", "erro"),
                        entry("id_anterior", null),
                        entry("payload", "{}"),
                        entry("tenant", "47"),
                        entry("grupo_empresarial", "norte"),
                        entry("pub_sub", false),
                        entry("dead", false),
                        entry("live_id", null),
                        entry("prioridade", "50"),
                        entry("fila", queue));
        assertThat(tarefas.get(1))
                .contains(
                        entry("id", id + "000002"),
                        entry("id_inicial", first),
                        entry("data_hora_inicial", put),
                        entry("data_hora", retry),
                        entry("proxima_tentativa", null),
                        entry("tentativa", "2"),
                        entry("status", "agendada"),
                        entry("mensagem", null),
                        entry("id_anterior", first),
                        entry("data_hora_anterior", put),
                        entry("status_anterior", "falha"),
                        entry("mensagem_anterior", "erro"),
                        entry("payload", null));
    }

    @Test
    void itsDeadQueueIsANewChainThatKnowsTheLiveOne() throws SQLException { // N20, N21
        create(retrying(1).exhaustion(Exhaustion.DEAD_HANDLER));
        long live = put(task().payload("{}"));
        fail("erro");
        long dead = take().id();

        assertThat(tarefas(live)).hasSize(1);
        assertThat(tarefas(live).get(0))
                .contains(
                        entry("status", "falha"),
                        entry("estouro_tentativas", true),
                        entry("reenfileirado", false),
                        entry("dead", false));
        assertThat(tarefas(dead)).hasSize(1);
        assertThat(tarefas(dead).get(0))
                .contains(
                        entry("tentativa", "1"),
                        entry("status", "processando"),
                        entry("dead", true),
                        entry("live_id", tarefas(live).get(0).get("id_inicial")),
                        entry("processo", queue),
                        entry("payload", "{}"));
    }

    @Test
    void itsWordsForTheStatusAreUsed() throws SQLException { // N17, N25
        create(retrying(10));
        long id = put(task().delay(MINUTE));
        assertThat(tarefas(id)).extracting(row -> row.get("status")).containsExactly("agendada");

        clock.advance(MINUTE);
        storage.sweep(Sweep.everything());
        assertThat(tarefas(id)).extracting(row -> row.get("status")).containsExactly("pendente");

        String session = storage.sessions().open(SessionSpec.named("worker"));
        storage.take(TakeRequest.from(queue).session(session));
        assertThat(tarefas(id)).extracting(row -> row.get("status")).containsExactly("processando");

        storage.sessions().close(session);
        fail("erro");
        clock.advance(MINUTE);
        ack();
        assertThat(tarefas(id))
                .extracting(row -> row.get("status"))
                .containsExactly("falha_processando", "falha", "sucesso");
    }

    /** As its own readers find the payload of a later attempt. */
    @Test
    void thePayloadOfALaterAttemptIsFoundByTheFirst() throws SQLException { // N15
        create(retrying(10));
        long id = put(task().payload("{}"));
        fail("erro");

        assertThat(rows("SELECT tarefa.tentativa, coalesce(tarefa.payload, inicial.payload) AS payload_text"
                        + " FROM leat_tarefas tarefa JOIN leat_tarefas inicial ON inicial.id = tarefa.id_inicial"
                        + " WHERE tarefa.id_leat = " + id + " AND inicial.id_leat = " + id))
                .hasSize(2)
                .allSatisfy(row -> assertThat(row).contains(entry("payload_text", "{}")));
    }
}
