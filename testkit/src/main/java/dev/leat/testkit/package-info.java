/** What is needed to test a storage, and handlers that run on Leat: a clock that stands still until told to move. */
@NullMarked
package dev.leat.testkit;

import org.jspecify.annotations.NullMarked;
