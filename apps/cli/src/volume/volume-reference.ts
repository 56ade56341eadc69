import { AppError } from '@lateen/errors';

export interface VolumeReference {
  namespace: string;
  pvc: string;
}

/** DNS labels and subdomains as the API server checks them (RFC 1123). */
const namePattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Reads `NAMESPACE/PVC`. @throws AppError BAD_ARGUMENT with the text and the form expected */
export function parseVolumeReference(text: string): VolumeReference {
  const [namespace = '', pvc = '', ...rest] = text.split('/');
  if (rest.length > 0 || !namePattern.test(namespace) || !namePattern.test(pvc))
    throw new AppError('BAD_ARGUMENT', `"${text}" does not name a volume`, {
      nextStep: 'Write NAMESPACE/PVC, for example shop/data.',
    });
  return { namespace, pvc };
}
