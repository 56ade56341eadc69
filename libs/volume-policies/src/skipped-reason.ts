/** How a volume could have been backed up; names of Velero (object-store-layout.md section 5.5). */
export type BackupApproach = 'podvolume' | 'csiSnapshot' | 'volumeSnapshot' | 'vsphereSnapshot' | 'any';

/** `skippedReason` of a volume info: `<approach>: <reason>;` for each approach that was looked at. */
export function skippedReason(reasons: readonly { approach: BackupApproach; reason: string }[]): string {
  return reasons.map(({ approach, reason }) => `${approach}: ${reason};`).join('');
}
