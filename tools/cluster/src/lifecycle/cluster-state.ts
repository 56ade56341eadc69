import { randomBytes } from 'node:crypto';
import { AppError } from '@lateen/errors';
import type { S3Credentials } from '../control-plane/control-plane-programs.ts';
import { readIfThere, writeFileAtomically } from '../host/write-file.ts';
import { nodesMax } from '../network/addresses.ts';
import { hostInterface } from '../network/host-link.ts';
import { hostRanges } from '../network/host-ranges.ts';
import { chooseLink, type Link } from '../network/link-subnet.ts';
import type { ClusterLayout } from './cluster-layout.ts';

/** Decisions about a cluster that must not change. Contains the S3 keys: the file has mode 0600. */
export interface ClusterState {
  version: 1;
  id: string;
  nodes: number;
  link: Link;
  s3: S3Credentials;
}

/** The state of the cluster in that folder, or undefined. @throws CLUSTER_STATE_UNREADABLE */
export async function readState(layout: ClusterLayout): Promise<ClusterState | undefined> {
  const text = await readIfThere(layout.stateFile);
  if (text === undefined) return undefined;
  try {
    const state = JSON.parse(text) as ClusterState;
    if (state.version === 1 && state.id === layout.id) return state;
  } catch {
    // Falls through, because the same advice applies.
  }
  throw new AppError('CLUSTER_STATE_UNREADABLE', `${layout.stateFile} cannot be read as the state of a cluster`, {
    nextStep: 'Run `npm run cluster -- down` with the same --dir, then `up` again.',
  });
}

/**
 * The state to start: the stored one, or a new one. Nodes can be added; fewer nodes are rejected, because `up` should not remove a node
 * unexpectedly.
 */
export async function decideState(layout: ClusterLayout, nodes: number | undefined): Promise<ClusterState> {
  if (nodes !== undefined && !(Number.isInteger(nodes) && nodes >= 1 && nodes <= nodesMax))
    throw new AppError('NODES_INVALID', `a cluster has 1 to ${nodesMax} nodes, not ${nodes}`);
  const kept = await readState(layout);
  if (kept && nodes !== undefined && nodes < kept.nodes)
    throw new AppError(
      'NODES_FEWER',
      `the cluster in ${layout.dir} has ${kept.nodes} nodes, so it cannot be started with ${nodes}`,
      {
        nextStep: 'Run `npm run cluster -- down` first.',
      },
    );
  const state = kept ? { ...kept, nodes: nodes ?? kept.nodes } : await newState(layout, nodes ?? 1);
  await writeFileAtomically(layout.stateFile, `${JSON.stringify(state, null, 2)}\n`, { secret: true });
  return state;
}

async function newState(layout: ClusterLayout, nodes: number): Promise<ClusterState> {
  return {
    version: 1,
    id: layout.id,
    nodes,
    link: chooseLink(layout.id, await hostRanges(hostInterface(layout.id))),
    s3: {
      accessKey: `LATEEN${randomBytes(7).toString('hex').toUpperCase()}`,
      secretKey: randomBytes(24).toString('base64url'),
    },
  };
}
