import type { PodLogOptions } from '../kube-api.ts';
import { keyText, type ObjectKey } from '../kube-object.ts';
import { requireKey } from '../require-key.ts';
import { resourcePath } from '../resource-type.ts';
import { queryText } from './query.ts';
import type { PlannedRequest } from './request-builders.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true } as const;

export function podLogRequest(pod: ObjectKey, options: PodLogOptions): PlannedRequest {
  const { container, follow, previous, tailLines, sinceTime, timestamps } = options;
  requireKey('read the log of', pods, pod);
  const where = { namespace: pod.namespace, name: pod.name, subresource: 'log' };
  return {
    method: 'GET',
    path: resourcePath(pods, where) + queryText({ container, follow, previous, tailLines, sinceTime, timestamps }),
    headers: { accept: '*/*' },
    purpose: `read the log of pod ${keyText(pod)}${container === undefined ? '' : ` container ${container}`}`,
    streaming: follow === true,
  };
}
