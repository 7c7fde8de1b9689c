/**
 * Leat over HTTP: {@link dev.leat.server.LeatServer} serves a {@link dev.leat.Leat} to producers, consumers and operators that
 * speak REST and JSON. The pages {@code docs/server.md} and {@code docs/http-api.md} tell how.
 */
@NullMarked
package dev.leat.server;

import org.jspecify.annotations.NullMarked;
