import type { DiskSpec, InstanceManager, LonghornNodeStatus } from '@lateen/storage-types';
import type { Decision, EventWish, NodeSeen, RegisterDisk } from '@lateen/volume-decisions';
import { decideNode } from '@lateen/volume-decisions';
import { type DefaultDisks, defaultDisksOf, defaultTagsOf, diskSpecs } from './default-disks.ts';

/** The facts about a node besides the state of itself and its disks. */
export interface WholeNodeSeen extends NodeSeen {
  /** The image that it should have; "" while it is unknown. */
  readonly defaultImage: string;
  readonly instanceManagers: readonly InstanceManager[];
  /** Engines and replicas whose object names the node. */
  readonly instancesOnNode: number;
  /** Problems of annotations that were reported before. */
  readonly toldProblems: ReadonlySet<string>;
}

export type NodeEffect =
  | RegisterDisk
  | {
      readonly do: 'set-defaults';
      readonly disks?: Readonly<Record<string, DiskSpec>>;
      readonly tags?: readonly string[];
    }
  | { readonly do: 'create-instance-manager'; readonly image: string }
  | { readonly do: 'note-problem'; readonly problem: string }
  | { readonly do: 'delete-node' };

/** A disk that has just got its identity is inspected again after this time. */
const registeredLookMs = 1_000;

/**
 * The state of a node and its disks, what it gets automatically, and when it is deleted: with the Kubernetes Node, once nothing names it any more.
 */
export function decideWholeNode(seen: WholeNodeSeen, nowMs: number): Decision<LonghornNodeStatus, NodeEffect> {
  const { kubernetesNode, instancesOnNode } = seen;
  const decision = decideNode(seen, nowMs);
  if (kubernetesNode === undefined && instancesOnNode === 0)
    return { ...decision, effects: [{ do: 'delete-node' }], events: [] };
  const { effects, events } = defaultsOf(seen);
  const registers = decision.effects.length > 0;
  return {
    ...decision,
    effects: [...managerOf(seen), ...effects, ...decision.effects],
    events: [...decision.events, ...events],
    ...(registers ? { again: { afterMs: registeredLookMs, reason: 'a disk has got its identity' } } : {}),
  };
}

function managerOf({ kubernetesNode, defaultImage, instanceManagers }: WholeNodeSeen): NodeEffect[] {
  if (kubernetesNode === undefined || defaultImage === '') return [];
  const isThere = instanceManagers.some(({ spec }) => spec.image === defaultImage);
  return isThere ? [] : [{ do: 'create-instance-manager', image: defaultImage }];
}

function defaultsOf(seen: WholeNodeSeen): { effects: NodeEffect[]; events: EventWish<NodeEffect>[] } {
  const { node, kubernetesNode, settings, host } = seen;
  const wanted = defaultDisksOf(node, kubernetesNode, settings);
  const tags = defaultTagsOf(node, kubernetesNode);
  const reserved = settings.number('storage-reserved-percentage-for-default-disk');
  const disks = wanted.kind === 'wanted' ? diskSpecs(wanted.disks, host?.disks ?? [], reserved) : undefined;
  const problems = [...problemsOf(wanted), ...('problem' in tags ? [tags.problem] : [])].filter(
    (problem) => !seen.toldProblems.has(problem),
  );
  const set = {
    ...(disks === undefined ? {} : { disks }),
    ...('problem' in tags || tags.length === 0 ? {} : { tags }),
  };
  const notes = problems.map((problem) => ({ do: 'note-problem', problem }) as const);
  return {
    effects: [...(Object.keys(set).length === 0 ? [] : [{ do: 'set-defaults', ...set } as const]), ...notes],
    events: notes.map((after) => ({ type: 'Warning', reason: 'DefaultsNotUsable', message: after.problem, after })),
  };
}

const problemsOf = (wanted: DefaultDisks): string[] => (wanted.kind === 'wrong' ? [wanted.problem] : []);
