/**
 * A storage behind a Leat server. With this module on the class path, {@code Leat.open} takes the URL of a server, such as
 * {@code http://127.0.0.1:8770}; this package has no API of its own. The page {@code docs/remote.md} lists the parameters of the URL.
 */
@NullMarked
package dev.leat.client;

import org.jspecify.annotations.NullMarked;
