/**
 * How connections to tenants' databases are made. {@code TenantPool} is the pool of one tenant, which {@code Logins} opens connections
 * for; {@code HttpCalls}, {@code AccessTokens} and {@code AnswerFields} ask the service that knows the credentials.
 */
@NullMarked
package dev.leat.tenant.internal;

import org.jspecify.annotations.NullMarked;
