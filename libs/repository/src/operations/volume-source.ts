/** The volume of a snapshot. */
export interface VolumeName {
  namespace: string;
  persistentVolumeClaim: string;
  /** Set when the source follows no convention. */
  source?: string;
}

/**
 * The volume of a snapshot by its source path: `<requester>/<engine>/<namespace>/<claim>` of a data movement,
 * `<requester>/<engine>/<namespace>/<pod>/<claim>` of a pod's volume (data-movement.md section 9), and the path of Lateen's
 * attribute manifests, `lateen-attributes/<namespace>/<claim>`.
 */
export function volumeOfSource(path: string): VolumeName {
  const parts = path.split('/');
  const [requester, engineOrNamespace, namespace = '', podOrClaim = '', claim = ''] = parts;
  if (requester === 'lateen-attributes' && parts.length === 3) {
    return { namespace: engineOrNamespace ?? '', persistentVolumeClaim: namespace };
  }
  const known = engineOrNamespace === 'kopia' || engineOrNamespace === 'restic';
  if (requester === 'snapshot-data-upload-download' && known && parts.length === 4) {
    return { namespace, persistentVolumeClaim: podOrClaim };
  }
  const ofPod = requester === 'snapshot-pod-volume' || requester === 'pod-volume-backup-restore';
  if (ofPod && known && parts.length === 5) return { namespace, persistentVolumeClaim: claim };
  return { namespace: '', persistentVolumeClaim: '', source: path };
}

export const volumeKey = ({ namespace, persistentVolumeClaim, source }: VolumeName): string =>
  `${namespace}/${persistentVolumeClaim}/${source ?? ''}`;
