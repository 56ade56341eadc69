import type { ClientIdentity } from '@lateen/repository';

/**
 * Who the server itself is. Not `default@default`: to that identity snapshots and maintenance of the repository belong, so the server
 * would run maintenance and scheduled snapshots by itself, in the middle of a backup (internal/server of kopia). What its
 * client may see goes by the user that the client signs in as, which is `default@default`.
 */
export const serverIdentity: ClientIdentity = { username: 'session', hostname: 'lateen' };
