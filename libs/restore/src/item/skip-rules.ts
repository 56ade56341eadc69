import type { Unstructured } from '@lateen/api-types';

/** The kubelet's annotation on the mirror pod of a static pod. */
const mirrorAnnotation = 'kubernetes.io/config.mirror';

interface SkipRule {
  groupResource: string;
  applies(object: Unstructured): boolean;
  reason: string;
}

/** Finished objects, and objects that the cluster creates by itself, are not restored (backup-and-restore.md section 12). */
const skipRules: readonly SkipRule[] = [
  {
    groupResource: 'pods',
    applies: (pod) => ['Succeeded', 'Failed'].includes(String(statusOf(pod).phase)),
    reason: 'the pod is complete',
  },
  {
    groupResource: 'jobs.batch',
    applies: (job) => isThere(statusOf(job).completionTime),
    reason: 'the job is complete',
  },
  {
    groupResource: 'pods',
    applies: ({ metadata }) => isThere(metadata.annotations?.[mirrorAnnotation]),
    reason: 'it is a mirror pod: the kubelet makes it by itself',
  },
];

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

const statusOf = ({ status }: Unstructured): Record<string, unknown> => (status ?? {}) as Record<string, unknown>;

/** Why an object of the archive is never restored, whatever was chosen; undefined when no rule forbids it. */
export const whySkipped = (groupResource: string, object: Unstructured): string | undefined =>
  skipRules.find((rule) => rule.groupResource === groupResource && rule.applies(object))?.reason;
