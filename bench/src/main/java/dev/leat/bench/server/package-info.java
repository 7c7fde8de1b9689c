/** Measures the same work through a server and embedded, on one SQLite file. */
@NullMarked
package dev.leat.bench.server;

import org.jspecify.annotations.NullMarked;
