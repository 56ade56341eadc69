import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { AwsClient } from 'aws4fetch';
import { waitUntil } from '../host/wait-until.ts';
import type { ClusterInfo } from './cluster-info.ts';

const answerTimeoutMs = 30_000;
/** S3's error code when the bucket already exists and is ours; versitygw returns it for every repeated create. */
const alreadyThere = 409;

/** Waits until the S3 server answers and creates the cluster's bucket. Safe to repeat. */
export async function ensureBucket(s3: ClusterInfo['s3'], clock: Clock, signal?: AbortSignal): Promise<void> {
  const client = new AwsClient({
    accessKeyId: s3.accessKey,
    secretAccessKey: s3.secretKey,
    region: s3.region,
    service: 's3',
    retries: 0,
  });
  const create = () => client.fetch(`${s3.endpointForHost}/${s3.bucket}`, { method: 'PUT', signal: signal ?? null });
  const what = `the S3 server at ${s3.endpointForHost} answers`;
  const response = await waitUntil(create, { what, timeoutMs: answerTimeoutMs, clock, signal });
  if (response.ok || response.status === alreadyThere) return;
  throw new AppError('BUCKET_REFUSED', `the S3 server refused to create the bucket ${s3.bucket} (${response.status})`, {
    cause: new Error(await response.text()),
  });
}
