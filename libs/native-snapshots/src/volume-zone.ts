import type { NodeSelectorTerm, PersistentVolume } from '@lateen/api-types';

/** Labels of a PersistentVolume that say where it is, the newer one first (backup-and-restore.md section 5). */
const zoneLabels = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'] as const;

/** A disk of GKE that is in two zones has a term for each of them. */
const gkeZoneKey = 'topology.gke.io/zone';
const gkeSeparator = '__';

/** Keys that drivers of providers use in the node affinity of their volumes. */
const zoneKeys: readonly string[] = [
  'topology.ebs.csi.aws.com/zone',
  'topology.disk.csi.azure.com/zone',
  gkeZoneKey,
  'topology.cinder.csi.openstack.org/zone',
  'topology.manila.csi.openstack.org/zone',
  ...zoneLabels,
];

/** The zone of a volume, by its labels, else by its node affinity; empty where neither names one. Pure. */
export function zoneOfVolume({ metadata, spec }: PersistentVolume): string {
  for (const label of zoneLabels) {
    const zone = metadata.labels?.[label];
    if (zone !== undefined) return zone;
  }
  const found = (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(zonesIn);
  const [first] = found.filter(({ key }) => key !== gkeZoneKey);
  return first?.zone ?? found.map(({ zone }) => zone).join(gkeSeparator);
}

function zonesIn({ matchExpressions = [] }: NodeSelectorTerm): { key: string; zone: string }[] {
  return matchExpressions.flatMap(({ key, operator, values = [] }) => {
    const [zone] = values;
    return zoneKeys.includes(key) && operator === 'In' && zone !== undefined ? [{ key, zone }] : [];
  });
}
