package dev.leat.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.leat.Payload;
import dev.leat.error.InvalidRequestException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
    private static InvalidRequestException refused(Callable<?> mistake) {
        InvalidRequestException e = catchThrowableOfType(InvalidRequestException.class, mistake::call);
        assertThat(e).isNotNull();
        return e;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hooks.example.com/a",
                "ftp://hooks.example.com/",
                "file:///etc/passwd",
                "gopher://127.0.0.1:6379/_FLUSHALL",
                "http:///path",
                "http:/path",
                "http://",
                "http://user@hooks.example.com/",
                "http://user:password@hooks.example.com/",
                "http://hooks.example.com\\@127.0.0.1/",
                "http://hooks.example.com#@127.0.0.1/",
                "http://hooks.example.com/a b",
                "http://hooks.example.com/\r\nHost: other",
                "http://hooks.example.com/%zz",
                "http://hooks.exämple.com/",
                "http://①②⑦.0.0.1/",
                "http://hooks.example.com:0/",
                "http://hooks.example.com:65536/",
                "http://hooks.example.com:99999999999/",
                "http://hooks.example.com:http/",
                "http://./",
                "http://[::1%25eth0]/",
                "http://[::g]/",
                "http://[1:2]/",
                "http://[localhost]/",
                "http://hooks.example.com/#fragment"
            })
    void urlsThatAreNoneAreRefused(String url) {
        assertThat(refused(() -> Endpoint.of(url)).field()).isEqualTo("url");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2130706433",
                "017700000001",
                "0x7f000001",
                "0x7f.1",
                "0x7f.0x0.0x0.0x1",
                "0X7F.0.0.1",
                "127.1",
                "127.0.1",
                "0177.0.0.1",
                "0177.0.0.01",
                "127.0.0.01",
                "127.0.0.256",
                "1.2.3.4.5",
                "0",
                "0x"
            })
    void addressesInOddNotationsAreRefused(String host) {
        assertThat(refused(() -> Endpoint.of("http://" + host + "/"))).hasMessageContaining("four decimal numbers");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://hooks.example.com",
                "HTTPS://Hooks.Example.COM:8443/a/b?c=d&e",
                "http://93.184.216.34/",
                "http://[2606:2800:220:1:248:1893:25c8:1946]:8080/a",
                "http://my_service:8080/",
                "https://xn--exmple-cua.com/%20"
            })
    void urlsAreAccepted(String url) {
        assertThat(Endpoint.of(url).url()).isEqualTo(url);
    }

    @ParameterizedTest
    @CsvSource({
        "https://h.test/a?token=s3cret&user=, POST https://h.test/a?token=…&user=…",
        "https://h.test/a?s3cret, POST https://h.test/a?…",
        "https://h.test:443/a?a=b=s3cret, POST https://h.test/a?a=…",
        "http://H.test:8080, POST http://h.test:8080/",
        "https://h.test., POST https://h.test/",
        "http://127.0.0.1./, POST http://127.0.0.1/",
        "http://[::1]:80/, POST http://[::1]/"
    })
    void whatIsShownHasNoValuesOfTheQuery(String url, String shown) {
        assertThat(Endpoint.of(url)).hasToString(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host",
                "content-length",
                "Transfer-Encoding",
                "Connection",
                "Keep-Alive",
                "TE",
                "Trailer",
                "Upgrade",
                "Expect",
                "Accept-Encoding",
                "Proxy-Authorization",
                "webhook-id",
                "Webhook-Signature",
                "webhook-anything",
                "",
                "a b",
                "a:b",
                "a\r\nb",
                "ä"
            })
    void headersThatAreNotForAnEndpointToSetAreRefused(String name) {
        assertThat(refused(() -> Endpoint.builder("http://h.test").header(name, "value"))
                        .field())
                .isEqualTo("headers");
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3cret\r\nX: y", "s3cret\n", "\rs3cret", "s3cret\0", "s3cret ü"})
    void valuesOfHeadersAreOneLineAndNotTold(String value) {
        assertThat(refused(() -> Endpoint.builder("http://h.test").header("X-Token", value)))
                .hasMessageContaining("X-Token")
                .hasMessageNotContaining("s3cret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3cret",
                "whsec_",
                "whsec_s3cret",
                "whsec_***s3cret***",
                "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "whpk_V0VCSE9PS0FTWU1NRVRSSUNURVNUUFJJVkFURUtFWTE="
            })
    void secretsThatAreNoneAreRefusedAndNotTold(String secret) {
        assertThat(refused(() -> Endpoint.builder("http://h.test").secret(secret)))
                .hasMessageStartingWith("secrets")
                .hasMessageNotContaining("s3cret")
                .hasNoCause();
    }

    @Test
    void timeoutsHaveLimits() {
        Endpoint.Builder endpoint = Endpoint.builder("http://h.test");

        assertThat(refused(() -> endpoint.timeout(Duration.ZERO)).field()).isEqualTo("timeout");
        assertThat(refused(() -> endpoint.timeout(Duration.ofHours(1))).field()).isEqualTo("timeout");
        assertThat(endpoint.build().timeout()).isEqualTo(Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a.b", "a b", "a\r\nb", "ä"})
    void idsThatCannotBeSignedAreRefused(String id) {
        assertThat(refused(() -> new Message(id, Payload.empty())).field()).isEqualTo("id");
    }

    @Test
    void aContentTypeIsOneLine() {
        assertThat(refused(() -> new Message("a", Payload.of(new byte[0], "text/plain\r\nX: y")))
                        .field())
                .isEqualTo("contentType");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0/8", "localhost", "::/129", "10.1/16"})
    void networksThatAreNoneAreRefused(String network) {
        assertThat(refused(() -> WebhookSender.builder().allowNetwork(network)).field())
                .isEqualTo("network");
    }
}
