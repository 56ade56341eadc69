import type { Call, InstanceHost, TransferProgress } from '@lateen/block-engine';
import { instanceOf } from '@lateen/volume-decisions';
import type { RoomContext } from '../frame/room-context.ts';
import { within } from './host-calls.ts';

/** Begins a backup or clone that continues at its host without us: resolves to its first message when it has begun there. @throws the host's error */
export function beginTransfer(
  { clock }: Pick<RoomContext, 'clock'>,
  begin: (call: Call) => AsyncIterable<TransferProgress>,
  signal: AbortSignal,
): Promise<TransferProgress | undefined> {
  return within(clock, 'ensure', signal, async (call) => {
    // The first message says that it has begun, or why it cannot.
    for await (const told of begin(call)) return told;
    return undefined;
  });
}

/** Cancels the transfer of that name; resolves when it has released everything. Does nothing when there is none. @throws the host's error */
export async function stopTransfer(
  { clock }: Pick<RoomContext, 'clock'>,
  host: Pick<InstanceHost, 'stop'>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  await within(clock, 'stop', signal, (call) => host.stop({ kind: 'transfer', name, generation: 0 }, call));
}

/** The same on whichever of these nodes it runs. On hosts that do not answer nothing can be stopped. */
export async function stopTransferOn(
  context: Pick<RoomContext, 'clock' | 'hosts'>,
  nodes: Iterable<string>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { hosts } = context;
  for (const node of nodes)
    if (instanceOf(hosts.facts(node), 'transfer', name) !== undefined)
      await stopTransfer(context, hosts.host(node, { kind: 'transfer', name }), name, signal);
}
