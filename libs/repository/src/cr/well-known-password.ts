/** What Velero gives every installation that has none (api.md section 16): known to anybody. */
const wellKnownPassword = 'static-passw0rd';

/** White space around a password does not count. */
export const isWellKnownPassword = (password: string): boolean => password.trim() === wellKnownPassword;
