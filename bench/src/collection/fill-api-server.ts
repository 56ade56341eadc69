import { configMapType, namespaceType, secretType } from '@lateen/api-types';
import { eachAtOnce } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

/** An API server on 2 cores is fastest with about this many parallel requests. */
const writesAtOnce = 48;

/** Text as in configurations, with strings that look like numbers. */
const text = 'listen 10.0.0.1:8080; version 1.2.3; retry after 0.5 s; '.repeat(12);

/** Creates that many ConfigMaps and Secrets of about 1 KiB in each of these namespaces, which it creates too. */
export async function fillApiServer(
  kube: KubeApi,
  namespaces: readonly string[],
  each: { configMaps: number; secrets: number },
  signal: AbortSignal,
): Promise<void> {
  const body = (kind: string) => ({ apiVersion: 'v1', kind });
  await eachAtOnce(namespaces, writesAtOnce, async (name) => {
    await kube.create(namespaceType, { ...body('Namespace'), metadata: { name } }, { signal });
  });
  const labels = { app: 'filled' };
  const makeMap = async (namespace: string, at: number) => {
    const metadata = { name: `map-${at}`, namespace, labels };
    await kube.create(configMapType, { ...body('ConfigMap'), metadata, data: { 'app.conf': text } }, { signal });
  };
  const makeSecret = async (namespace: string, at: number) => {
    const metadata = { name: `secret-${at}`, namespace, labels };
    const data = { key: Buffer.from(text).toString('base64') };
    await kube.create(secretType, { ...body('Secret'), metadata, type: 'Opaque', data }, { signal });
  };
  await eachAtOnce(objectsOf(namespaces, each.configMaps), writesAtOnce, (one) => makeMap(...one));
  await eachAtOnce(objectsOf(namespaces, each.secrets), writesAtOnce, (one) => makeSecret(...one));
}

function* objectsOf(namespaces: readonly string[], count: number): Generator<[namespace: string, at: number]> {
  for (const namespace of namespaces) for (let at = 0; at < count; at++) yield [namespace, at];
}
