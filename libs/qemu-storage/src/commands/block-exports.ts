import { AppError } from '@lateen/errors';
import { type Clock, orAborted } from '@lateen/kernel';
import type { Qmp } from '../qmp/qmp.ts';
import { isObject } from '../qmp/qmp-message.ts';
import { type CommandOptions, validNodeName } from './block-nodes.ts';

/**
 * What a node is exported as. By NBD only: the other way that this daemon has to give a file corrupts data, see
 * `refuseFuseExport`.
 */
export interface BlockExport {
  type: 'nbd';
  /** For the monitor; letters, digits, dots, dashes and underscores, a letter first. Not the name that clients ask for. */
  id: string;
  nodeName: string;
  /** The export name that clients request. A secret: anyone who knows it can read and write. */
  name: string;
  writable: boolean;
  /** Lets clients ask in which layer an area is (`qemu:allocation-depth`). */
  allocationDepth?: boolean;
}

export interface SeenExport {
  id: string;
  type: string;
  nodeName: string;
  shuttingDown: boolean;
}

/** Bound of the protocol. */
const exportNameBytesMax = 4_096;

/** @param iothread that serves it and its nodes; absent, the main thread. @throws EXPORT_NAME_INVALID, and as {@link Qmp} */
export async function addExport(
  qmp: Qmp,
  request: BlockExport,
  iothread: string | undefined,
  options?: CommandOptions,
): Promise<void> {
  const { type, id, nodeName, name, writable, allocationDepth = false } = request;
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > exportNameBytesMax || !/^[A-Za-z][\w.-]*$/.test(id))
    throw new AppError('EXPORT_NAME_INVALID', `an export "${id}" with a name of ${bytes} bytes cannot be made`);
  const args = {
    ...{ type, id, 'node-name': validNodeName(nodeName), name, writable, 'allocation-depth': allocationDepth },
    ...(iothread === undefined ? {} : { iothread }),
  };
  await qmp.execute('block-export-add', args, { ...options, secrets: [name] });
}

/** From the command to the end of the last request that was under way; longer than that the disk hangs. */
const exportGoneMs = 15_000;

/**
 * Takes an export away; resolves when it is gone. `hard` cuts its connections, `safe` is refused while there are any. Absent is
 * fine. @throws EXPORT_STAYS when it is not gone in time, and as {@link Qmp}
 */
export async function deleteExport(
  qmp: Qmp,
  clock: Clock,
  { id, mode }: { id: string; mode: 'safe' | 'hard' },
  options: CommandOptions = {},
): Promise<void> {
  const gone = Promise.withResolvers<void>();
  const leave = qmp.onEvent(({ event, data }) => {
    if (event === 'BLOCK_EXPORT_DELETED' && data.id === id) gone.resolve();
  });
  const late = clock.deadline(exportGoneMs);
  try {
    const seen = (await listExports(qmp, options)).find((it) => it.id === id);
    if (seen === undefined) return;
    if (!seen.shuttingDown) await qmp.execute('block-export-del', { id, mode }, options);
    await orAborted(gone.promise, options.signal === undefined ? late : AbortSignal.any([late, options.signal]));
  } catch (error) {
    if (error !== late.reason || options.signal?.aborted) throw error;
    throw new AppError('EXPORT_STAYS', `the export ${id} is still there: a request of it does not end`, {
      cause: error,
      retry: 'later',
      nextStep: 'Its disk may hang: check the kernel log of the node.',
    });
  } finally {
    leave();
  }
}

export async function listExports(qmp: Qmp, options?: CommandOptions): Promise<SeenExport[]> {
  const answer = await qmp.execute('query-block-exports', {}, options);
  return (Array.isArray(answer) ? answer : []).filter(isObject).map((it) => ({
    id: String(it.id),
    type: String(it.type),
    nodeName: String(it['node-name']),
    shuttingDown: it['shutting-down'] === true,
  }));
}
