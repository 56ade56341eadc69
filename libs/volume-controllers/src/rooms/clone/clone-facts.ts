import type { Instance } from '@lateen/block-engine';
import type { Engine, Volume } from '@lateen/storage-types';
import { type CloneSeen, type CloneTransfer, cloneTransferName, instanceOf } from '@lateen/volume-decisions';
import { sourceOf } from '../../frame/clones-of.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { volumeOf } from '../../frame/volume-of.ts';

type Facts = Pick<RoomContext, 'caches' | 'hosts' | 'namespace'>;

/** The facts for the decision about a clone, from the caches. */
export function cloneFacts(context: Facts, volume: Volume): CloneSeen {
  const { caches, namespace } = context;
  const { name = '' } = volume.metadata;
  const from = sourceOf(volume);
  const { snapshot: snapshotName = '', attemptCount = 0 } = volume.status?.cloneStatus ?? {};
  const engine = caches.engines.byIndex('volume', name)[0];
  const source = volumeOf(caches, namespace, from);
  const sourceEngine = caches.engines.byIndex('volume', from)[0];
  const snapshot = snapshotName === '' ? undefined : caches.snapshots.get({ namespace, name: snapshotName });
  const node = engine?.spec.nodeID ?? '';
  return {
    volume,
    ...(engine === undefined ? {} : { engine }),
    ...(source === undefined ? {} : { source }),
    ...(snapshot === undefined ? {} : { snapshot }),
    transfer: transferOf(context, node, cloneTransferName(name, attemptCount)),
    readable: readableOf(context, sourceEngine, node),
  };
}

function transferOf({ hosts }: Facts, node: string, transfer: string): CloneTransfer {
  if (node === '') return { state: 'absent' };
  const facts = hosts.facts(node);
  const found = instanceOf(facts, 'transfer', transfer);
  if (found !== undefined) return toldBy(found);
  return { state: facts.reach === 'answers' ? 'absent' : 'silent' };
}

function toldBy({ transfer, error, state }: Instance): CloneTransfer {
  const failure = transfer?.error ?? error;
  if (failure !== undefined || state === 'error') {
    const { code = '', message = 'the copy has failed' } = failure ?? {};
    return { state: 'failed', code, error: message };
  }
  return { state: transfer?.ended === true ? 'completed' : 'running' };
}

/** Readable replicas of the source, first those on the node of the clone's engine, which are read without the network. */
function readableOf({ caches, hosts, namespace }: Facts, engine: Engine | undefined, node: string): readonly string[] {
  if (engine?.status?.currentState !== 'running') return [];
  const managers = hosts.managers();
  const nodeOf = (name: string) => caches.replicas.get({ namespace, name })?.spec.nodeID ?? '';
  return Object.entries(engine.status.replicaModeMap ?? {})
    .filter(([name, mode]) => mode === 'RW' && managers.has(nodeOf(name)))
    .map(([name]) => name)
    .sort((a, b) => Number(nodeOf(b) === node) - Number(nodeOf(a) === node) || (a < b ? -1 : 1));
}
