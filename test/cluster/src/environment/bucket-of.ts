import { type S3Store, s3Store } from '@lateen/object-store-s3';
import type { LateenUnderTest } from './provided-lateen.ts';

/** A client of the default location's bucket for this machine. Close it at the end. */
export function bucketOf({ cluster }: Pick<LateenUnderTest, 'cluster'>): S3Store {
  if (cluster === undefined) throw new Error('the tests have no cluster of their own');
  const { bucket, region, accessKey: accessKeyId, secretKey: secretAccessKey, endpointForHost } = cluster.s3;
  const { host, protocol } = new URL(endpointForHost);
  const credentials = { accessKeyId, secretAccessKey };
  return s3Store({
    bucket,
    region,
    endpoint: host,
    tls: protocol === 'https:',
    verifyTls: true,
    pathStyle: true,
    credentials,
  });
}
