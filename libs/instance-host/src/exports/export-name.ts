import { createHmac } from 'node:crypto';

/** Bytes of the token: it cannot be guessed, and the whole name stays short. */
const tokenBytes = 16;

/** Name of a replica's head under one generation, with its volume; not secret. */
export const headExport = (of: { volumeUid: string; replica: string; generation: number }): string =>
  `${of.volumeUid}.${of.replica}.${of.generation}`;

/**
 * What clients ask for: the export and a token that only those know who have the key. Nothing else guards a replica on its port, and a
 * replica that came back must not be found by an engine that it was not told of: the generation is part of the name.
 *
 * @param key the same for all instance managers of the cluster, see {@link exportKey}
 */
export const exportName = (key: Uint8Array, name: string): string =>
  `${name}.${createHmac('sha256', key).update(name).digest().subarray(0, tokenBytes).toString('hex')}`;

/** The key for export names, derived from a private key that all instance managers share. A new key does not close existing exports. */
export const exportKey = (privateKeyPem: string): Uint8Array =>
  createHmac('sha256', 'lateen export names').update(privateKeyPem.trim()).digest();
