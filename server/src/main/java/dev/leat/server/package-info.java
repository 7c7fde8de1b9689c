/**
 * Leat over HTTP: {@link dev.leat.server.LeatServer} serves a {@link dev.leat.Leat} to producers, consumers and operators by REST and
 * JSON. The pages {@code docs/server.md} and {@code docs/http-api.md} describe the server and its API.
 */
@NullMarked
package dev.leat.server;

import org.jspecify.annotations.NullMarked;
