import { createHash } from 'node:crypto';
import type { LayerBlob } from './layer-blob.ts';

/** The part of an OCI image configuration that says how a container starts. Field names are those of the specification. */
export interface ImageConfig {
  Entrypoint?: readonly string[];
  Cmd?: readonly string[];
  /** `NAME=value` each. Never a secret: everyone who can pull the image can read it. */
  Env?: readonly string[];
  WorkingDir?: string;
  User?: string;
  Labels?: Readonly<Record<string, string>>;
}

/** A JSON document of the archive with its digest. */
export interface JsonBlob {
  digest: string;
  bytes: Buffer;
}

/** Every time stamp in the image, so that the same input gives the same bytes. */
export const imageCreated = '1970-01-01T00:00:00Z';

const mediaTypes = {
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
} as const;

/** The image configuration; `layers` are in the order in which they are stacked. */
export function configBlob(config: ImageConfig, layers: readonly LayerBlob[]): JsonBlob {
  return jsonBlob({
    created: imageCreated,
    architecture: 'amd64',
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.digest) },
    history: layers.map(() => ({ created: imageCreated, created_by: 'lateen image' })),
  });
}

export function manifestBlob(config: JsonBlob, layers: readonly LayerBlob[]): JsonBlob {
  return jsonBlob({
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: { mediaType: mediaTypes.config, digest: config.digest, size: config.bytes.length },
    layers: layers.map((layer) => ({ mediaType: mediaTypes.layer, digest: layer.digest, size: layer.sizeBytes })),
  });
}

/** The digest that writeOciArchive would resolve with, without writing. */
export function imageDigest(config: ImageConfig, layers: readonly LayerBlob[]): string {
  return manifestBlob(configBlob(config, layers), layers).digest;
}

/**
 * The layout's entry. Importers read the image's name from an annotation: containerd from `io.containerd.image.name`, buildah and skopeo
 * from `org.opencontainers.image.ref.name`.
 */
export function indexDocument(manifest: JsonBlob, tag: string): Buffer {
  return encode({
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [
      {
        mediaType: mediaTypes.manifest,
        digest: manifest.digest,
        size: manifest.bytes.length,
        annotations: { 'io.containerd.image.name': tag, 'org.opencontainers.image.ref.name': tag },
        platform: { architecture: 'amd64', os: 'linux' },
      },
    ],
  });
}

export const layoutDocument = (): Buffer => encode({ imageLayoutVersion: '1.0.0' });

function jsonBlob(document: unknown): JsonBlob {
  const bytes = encode(document);
  return { bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}

const encode = (document: unknown): Buffer => Buffer.from(JSON.stringify(document));
