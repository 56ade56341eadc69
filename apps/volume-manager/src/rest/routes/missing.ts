import type { AppError } from '@lateen/errors';
import { notFound } from '@lateen/storage-rest';

/** The error for a missing object, in the words of Kubernetes. */
export const missing = (resource: string, name: string): AppError =>
  notFound(`${resource}.longhorn.io ${JSON.stringify(name)} not found`);
