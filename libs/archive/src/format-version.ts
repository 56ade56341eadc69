/** Layout of the archive that we write (object-store-layout.md section 4); Backups name it in `status.formatVersion`. */
export const archiveFormatVersion = '1.1.0';

/** The first entry of every archive. */
export const versionPath = 'metadata/version';
