/** The password that Velero gives an installation without one (api.md section 16): it is publicly known. */
const wellKnownPassword = 'static-passw0rd';

/** White space around a password is ignored. */
export const isWellKnownPassword = (password: string): boolean => password.trim() === wellKnownPassword;
