import type { Refusal } from './check.ts';

export interface EngineImageDeletionSeen {
  readonly name: string;
  readonly image: string;
  /** Setting default-engine-image. */
  readonly defaultImage: string;
  readonly refCount: number;
}

export function checkEngineImageDeletion({ name, image, defaultImage, refCount }: EngineImageDeletionSeen): Refusal {
  if (image === defaultImage) return `deleting the default engine image ${name} (${image}) is not allowed`;
  return refCount > 0 ? `deleting engine image ${name} (${image}) is not allowed while being used` : undefined;
}
