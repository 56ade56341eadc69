import type { DiskSpec, DiskStatus, LonghornNode } from '@lateen/storage-types';

/** One disk of one node. */
export interface DiskRow {
  readonly node: string;
  readonly name: string;
  readonly spec: DiskSpec;
  readonly status: DiskStatus;
  /** Why no replica can be scheduled there; empty when one can. */
  readonly why: string;
}

/** All disks, sorted by node and name. A disk that was removed but is still in the status has an empty spec. */
export function disksOf(nodes: readonly LonghornNode[]): DiskRow[] {
  return nodes
    .flatMap(({ metadata, spec, status }) => {
      const statuses = status?.diskStatus ?? {};
      const names = [...new Set([...Object.keys(spec.disks ?? {}), ...Object.keys(statuses)])];
      return names.map((name): DiskRow => {
        const [own, found] = [spec.disks?.[name] ?? {}, statuses[name] ?? {}];
        return { node: metadata.name ?? '', name, spec: own, status: found, why: whyClosed(own, found) };
      });
    })
    .sort((a, b) => (a.node === b.node ? compare(a.name, b.name) : compare(a.node, b.node)));
}

const compare = (a: string, b: string): number => (a < b ? -1 : 1);

function whyClosed(spec: DiskSpec, { conditions }: DiskStatus): string {
  const bad = conditions?.find(
    ({ type, status }) => (type === 'Ready' || type === 'Schedulable') && status === 'False',
  );
  if (bad !== undefined) return bad.message ?? bad.reason ?? '';
  if (conditions == null) return 'its manager has not reported it yet';
  return spec.allowScheduling === false ? 'scheduling is off' : '';
}
