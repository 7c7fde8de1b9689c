/** MariaDB and MySQL. */
@NullMarked
package dev.leat.sql.internal.engine.mariadb;

import org.jspecify.annotations.NullMarked;
