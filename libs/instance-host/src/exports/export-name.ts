import { createHmac } from 'node:crypto';

/** Bytes of the token: nobody guesses it, and the whole name stays short. */
const tokenBytes = 16;

/** The head of a replica under one generation, and whose it is; no secret. */
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

/** The key of export names, out of a private key that all instance managers share. A new one closes no export that is there. */
export const exportKey = (privateKeyPem: string): Uint8Array =>
  createHmac('sha256', 'lateen export names').update(privateKeyPem.trim()).digest();
