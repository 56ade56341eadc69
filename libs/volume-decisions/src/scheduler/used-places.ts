import type { ClusterFacts } from './cluster-facts.ts';
import type { PlacedReplica, PlaceRequest } from './place-request.ts';

/** Where replicas of the volume are: all of them, and those that stay. */
export interface UsedPlaces {
  readonly zones: ReadonlySet<string>;
  readonly nodes: ReadonlySet<string>;
  readonly stayingZones: ReadonlySet<string>;
  readonly stayingNodes: ReadonlySet<string>;
  readonly disks: ReadonlySet<string>;
}

/** A failed replica keeps its place only while it may come back to it. */
export const takesItsPlace = (replica: PlacedReplica): boolean => !replica.failed || replica.mayReturn;

export function usedPlaces(request: Pick<PlaceRequest, 'replicas' | 'leaving'>, cluster: ClusterFacts): UsedPlaces {
  const taking = request.replicas.filter(takesItsPlace);
  const staying = taking.filter(({ name }) => !request.leaving.has(name));
  return {
    zones: zonesOf(taking, cluster),
    nodes: new Set(taking.map(({ node }) => node)),
    stayingZones: zonesOf(staying, cluster),
    stayingNodes: new Set(staying.map(({ node }) => node)),
    disks: new Set(taking.map(({ node, diskID }) => diskKey(node, diskID))),
  };
}

export const diskKey = (node: string, diskID: string): string => `${node}/${diskID}`;

/** The zone of a removed node is not known, so it excludes no other replica. */
function zonesOf(replicas: readonly PlacedReplica[], cluster: ClusterFacts): Set<string> {
  return new Set(replicas.map(({ node }) => cluster.nodes.get(node)?.zone).filter((zone) => zone !== undefined));
}
