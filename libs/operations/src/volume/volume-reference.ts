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
