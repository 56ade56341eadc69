import { isNamespaceName, isObjectName } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

export interface VolumeReference {
  namespace: string;
  pvc: string;
}

/** Reads `NAMESPACE/PVC`. @throws AppError BAD_ARGUMENT with the text and the form expected */
export function parseVolumeReference(text: string): VolumeReference {
  const [namespace = '', pvc = '', ...rest] = text.split('/');
  if (rest.length > 0 || !isNamespaceName(namespace) || !isObjectName(pvc))
    throw new AppError('BAD_ARGUMENT', `"${text}" does not name a volume`, {
      nextStep: 'Write NAMESPACE/PVC, for example shop/data.',
    });
  return { namespace, pvc };
}

export interface PodVolumeReference {
  namespace: string;
  pod: string;
  volume: string;
}

/** Reads `NAMESPACE/PVC` or `NAMESPACE/POD:VOLUME`. @throws AppError BAD_ARGUMENT with the text and the forms expected */
export function parseAnyVolume(text: string): VolumeReference | PodVolumeReference {
  if (!text.includes(':')) return parseVolumeReference(text);
  const [namespace = '', rest = '', ...more] = text.split('/');
  const [pod = '', volume = '', ...words] = rest.split(':');
  if (more.length + words.length > 0 || !isNamespaceName(namespace) || !isObjectName(pod) || !isNamespaceName(volume))
    throw new AppError('BAD_ARGUMENT', `"${text}" does not name a volume of a pod`, {
      nextStep: 'Write NAMESPACE/POD:VOLUME, for example shop/web-0:data.',
    });
  return { namespace, pod, volume };
}
