/**
 * A storage behind a Leat server. There is nothing here to call: with this module on the class path, {@code Leat.open} takes the URL of a
 * server, such as {@code http://127.0.0.1:8770}. The page {@code docs/remote.md} tells what such a URL may say.
 */
@NullMarked
package dev.leat.client;

import org.jspecify.annotations.NullMarked;
