import { connect, type Socket } from 'node:net';
import {
  linkLost,
  linkRefused,
  type ReplicaLink,
  type StatusContext,
  type StatusLink,
  type UnixOrTcp,
} from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import { type Clock, durationText, orAborted } from '@lateen/kernel';
import { endpointText } from '../endpoint.ts';
import { ByteQueue } from '../wire/byte-queue.ts';
import { shakeHands } from './handshake.ts';
import { HandshakeReader } from './handshake-reader.ts';
import { NbdLink } from './nbd-link.ts';

export interface ConnectOptions {
  at: UnixOrTcp;
  /** Can be a secret; it is in no message. */
  exportName: string;
  clock: Clock;
  /** Ends the attempt, not the link. */
  signal?: AbortSignal;
  /** For connection and handshake together. */
  connectTimeoutMs?: number;
}

const connectTimeoutMsDefault = 5_000;

/**
 * One connection to a replica's export, ready for requests.
 * @throws AppError `LINK_REFUSED` when what answers there does not serve this export; `LINK_LOST` when nothing answers in time, or
 * something else; the signal's reason on abort. Nothing stays open then.
 */
export function connectReplica(o: ConnectOptions): Promise<ReplicaLink> {
  return connectExport(o, []);
}

/** As {@link connectReplica}, with the contexts that block status can be asked for; those that the export lacks are missing. */
export function connectStatus(o: ConnectOptions & { contexts: readonly StatusContext[] }): Promise<StatusLink> {
  return connectExport(o, o.contexts);
}

async function connectExport(o: ConnectOptions, contexts: readonly StatusContext[]): Promise<StatusLink> {
  o.signal?.throwIfAborted();
  const timeoutMs = o.connectTimeoutMs ?? connectTimeoutMsDefault;
  const late = o.clock.deadline(timeoutMs);
  const socket = 'path' in o.at ? connect(o.at.path) : connect({ host: o.at.host, port: o.at.port, noDelay: true });
  const place = endpointText(o.at);
  try {
    const signal = o.signal === undefined ? late : AbortSignal.any([o.signal, late]);
    return await orAborted(linkOver(socket, o, contexts, place), signal);
  } catch (error) {
    socket.on('error', () => {}).destroy();
    o.signal?.throwIfAborted();
    if (late.aborted) throw linkLost(`the replica at ${place} did not answer within ${durationText(timeoutMs)}`, error);
    if (isAppError(error, 'LINK_REFUSED')) throw linkRefused(`the replica at ${place}: ${error.message}`, error);
    throw linkLost(`no link to the replica at ${place}`, error);
  }
}

async function linkOver(
  socket: Socket,
  o: ConnectOptions,
  contexts: readonly StatusContext[],
  place: string,
): Promise<StatusLink> {
  const queue = new ByteQueue();
  const reader = new HandshakeReader(socket, queue);
  const line = { need: (n: number) => reader.need(n), send: (bytes: Uint8Array) => void socket.write(bytes) };
  const agreed = await shakeHands(line, o.exportName, contexts);
  reader.release();
  return new NbdLink({ socket, queue, agreed, clock: o.clock, place });
}
