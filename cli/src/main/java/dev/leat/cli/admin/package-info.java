/**
 * Commands that look after a storage: copies, migrations, schema scripts, housekeeping, the doctor and the benchmark.
 */
@NullMarked
package dev.leat.cli.admin;

import org.jspecify.annotations.NullMarked;
