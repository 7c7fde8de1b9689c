package dev.leat.sql.internal.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.storage.Notice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NotifyPayloadTest {
    private static PeerMessage of(Notice notice) {
        return new PeerMessage.OfNotice(notice);
    }

    private static void assertForm(PeerMessage message, String text) {
        NotifyPayload payload = new NotifyPayload("1k9x", message);

        assertThat(payload.text()).isEqualTo(text);
        assertThat(NotifyPayload.parse(text)).contains(payload);
    }

    @Test
    void eachMessageIsReadAsItWasWritten() {
        assertForm(of(new Notice.Ready("mail")), "1k9x ready mail");
        assertForm(of(new Notice.Paused("mail")), "1k9x paused mail");
        assertForm(of(new Notice.SessionNews("s-1")), "1k9x session s-1");
        assertForm(of(new Notice.TaskNews(4711)), "1k9x task 4711");
        assertForm(of(Notice.TimerMoved.INSTANCE), "1k9x timer");
        assertForm(new PeerMessage.FreshRows("mail", -3, 4711), "1k9x fresh mail -3 4711");
        assertForm(new PeerMessage.Goodbye(), "1k9x bye");
    }

    @Test
    void aStatementCompletesAPayloadWithTheIdOfItsTask() {
        assertThat(NotifyPayload.parse(NotifyPayload.beforeFreshId("1k9x", "mail", 2) + 12))
                .contains(new NotifyPayload("1k9x", new PeerMessage.FreshRows("mail", 2, 12)));
    }

    @ParameterizedTest
    @CsvSource({"''", "hello", "1k9x newer than this", "- unknown"})
    void unknownTextsAreNoMessage(String text) {
        assertThat(NotifyPayload.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"- task many", "- fresh mail", "- fresh mail 1 x"})
    void wrongDetailsAreAnError(String text) {
        assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> NotifyPayload.parse(text));
    }
}
