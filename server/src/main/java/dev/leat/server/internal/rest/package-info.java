/**
 * REST v1. {@code Api} is the table of routes; each route names a method of a class such as {@code TaskRoutes}, which turns a
 * {@code RestCall} into a {@code Reply}. Refusals become {@code Problem}s.
 */
@NullMarked
package dev.leat.server.internal.rest;

import org.jspecify.annotations.NullMarked;
