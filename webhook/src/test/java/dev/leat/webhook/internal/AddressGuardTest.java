package dev.leat.webhook.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressGuardTest {
    private static final AddressGuard GUARD = new AddressGuard(List.of());

    private static InetAddress address(String text) throws UnknownHostException {
        return Literals.address(text).orElseThrow();
    }

    /** The first and the last of each range, or one in it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.255.255.255",
                "10.0.0.0",
                "10.255.255.255",
                "100.64.0.0",
                "100.127.255.255",
                "100.100.100.200",
                "127.0.0.0",
                "127.0.0.1",
                "127.255.255.255",
                "168.63.129.16",
                "169.254.0.0",
                "169.254.169.254",
                "169.254.255.255",
                "172.16.0.0",
                "172.31.255.255",
                "192.0.0.0",
                "192.0.0.192",
                "192.0.0.255",
                "192.0.2.0",
                "192.0.2.255",
                "192.88.99.1",
                "192.168.0.0",
                "192.168.255.255",
                "198.18.0.0",
                "198.19.255.255",
                "198.51.100.0",
                "198.51.100.255",
                "203.0.113.0",
                "203.0.113.255",
                "224.0.0.0",
                "239.255.255.255",
                "240.0.0.0",
                "255.255.255.254",
                "255.255.255.255",
                "::",
                "::1",
                "::2",
                "::7f00:1",
                "::127.0.0.1",
                "::8.8.8.8",
                "::ffff:127.0.0.1",
                "::ffff:10.1.2.3",
                "::ffff:a9fe:a9fe",
                "::ffff:0:127.0.0.1",
                "64:ff9b::127.0.0.1",
                "64:ff9b::10.0.0.1",
                "64:ff9b::169.254.169.254",
                "64:ff9b:1::1",
                "64:ff9b:1::8.8.8.8",
                "100::1",
                "100:0:0:1::1",
                "2001::1",
                "2001:0:7f00:1::",
                "2001:2::1",
                "2001:10::1",
                "2001:20::1",
                "2001:1ff::1",
                "2001:db8::1",
                "2001:db8:ffff::1",
                "2002:7f00:1::",
                "2002:a00:1::1",
                "2002:a9fe:a9fe::1",
                "2002:c0a8:101::1",
                "2002:e000:1::",
                "3fff::1",
                "3fff:fff::1",
                "4000::1",
                "5f00::1",
                "8000::1",
                "fc00::1",
                "fd00:ec2::254",
                "fdff::1",
                "fe80::1",
                "febf::1",
                "fec0::1",
                "ff02::1",
                "ffff::1"
            })
    void addressesInsideAreRefused(String text) throws UnknownHostException {
        assertThat(GUARD.refusal(address(text))).isPresent();
    }

    /** Just outside the ranges. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.0.0.0",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.0",
                "168.63.129.15",
                "168.63.129.17",
                "169.253.255.255",
                "169.255.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.0.1.0",
                "192.0.3.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "198.51.99.255",
                "198.51.101.0",
                "203.0.112.255",
                "203.0.114.0",
                "223.255.255.255",
                "::ffff:8.8.8.8",
                "64:ff9b::8.8.8.8",
                "2002:808:808::1",
                "2001:200::1",
                "2001:4860:4860::8888",
                "2606:4700:4700::1111",
                "2a00:1450::1",
                "3ffe::1"
            })
    void addressesOfThePublicInternetAreNot(String text) throws UnknownHostException {
        assertThat(GUARD.refusal(address(text))).isEmpty();
    }

    @Test
    void whatIsAllowedMayBeCalledAndItsNeighboursMayNot() throws UnknownHostException {
        AddressGuard guard = new AddressGuard(Stream.of("10.1.0.0/16", "fd00:1::/32", "192.168.7.9")
                .map(Network::parse)
                .toList());

        assertThat(guard.refusal(address("10.1.255.255"))).isEmpty();
        assertThat(guard.refusal(address("::ffff:10.1.2.3"))).isEmpty();
        assertThat(guard.refusal(address("64:ff9b::10.1.2.3"))).isEmpty();
        assertThat(guard.refusal(address("fd00:1::1"))).isEmpty();
        assertThat(guard.refusal(address("192.168.7.9"))).isEmpty();

        assertThat(guard.refusal(address("10.2.0.0"))).isPresent();
        assertThat(guard.refusal(address("64:ff9b::10.2.0.0"))).isPresent();
        assertThat(guard.refusal(address("fd00:2::1"))).isPresent();
        assertThat(guard.refusal(address("192.168.7.8"))).isPresent();
    }
}
