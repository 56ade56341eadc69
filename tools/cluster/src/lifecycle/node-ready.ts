import { type ApiAccess, apiRequest } from '../api-server/api-request.ts';

/** The last state of the node in the API server. */
export async function nodeIsReady(access: ApiAccess, name: string): Promise<boolean> {
  const response = await apiRequest(access, 'GET', `/api/v1/nodes/${name}`);
  if (response.status !== 200) return false;
  const node = JSON.parse(response.body) as { status?: { conditions?: { type: string; status: string }[] } };
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** False before a node's kubelet has registered it for the first time. */
export async function nodeExists(access: ApiAccess, name: string): Promise<boolean> {
  return (await apiRequest(access, 'GET', `/api/v1/nodes/${name}`)).status === 200;
}

/** A node whose kubelet has ended stays Ready for a while; only a renewed lease proves that the kubelet runs. */
export async function leaseIsNewer(access: ApiAccess, name: string, sinceMs: number): Promise<boolean> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`;
  const response = await apiRequest(access, 'GET', path);
  if (response.status !== 200) return false;
  const lease = JSON.parse(response.body) as { spec?: { renewTime?: string } };
  return Date.parse(lease.spec?.renewTime ?? '') >= sinceMs;
}
