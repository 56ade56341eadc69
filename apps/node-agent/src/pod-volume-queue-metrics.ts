import { hasJustEnded, type MovementChange } from '@lateen/data-movement';
import { Counter, type Registry } from 'prom-client';

/** Velero's series of how many PodVolumeBackups a node has accepted and completed (performance.md section 9). */
export function podVolumeQueueMetrics(registry: Registry, node: string): (change: MovementChange) => void {
  const counter = (name: string, help: string) => {
    const made = new Counter({
      name: `podVolume_pod_volume_backup_${name}`,
      help,
      labelNames: ['node'],
      registers: [registry],
    });
    made.inc({ node }, 0);
    return made;
  };
  const taken = counter('enqueue_count', 'Pod volume backups that this node has taken on');
  const done = counter('dequeue_count', 'Pod volume backups of this node that have ended');
  return (change) => {
    if (change.words !== 'pod volume backup') return;
    const { previous, present } = change;
    if (previous?.phase === 'New' && present.phase === 'Accepted') taken.inc({ node });
    if (hasJustEnded(change) && previous?.phase !== 'New') done.inc({ node });
  };
}
