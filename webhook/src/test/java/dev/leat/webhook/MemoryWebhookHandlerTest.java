package dev.leat.webhook;

import dev.leat.Leat;

class MemoryWebhookHandlerTest extends WebhookHandlerContract {
    @Override
    Leat openLeat() {
        return Leat.open("memory:");
    }
}
