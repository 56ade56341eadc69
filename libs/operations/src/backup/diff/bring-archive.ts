/** Downloads the packed archive of one backup and passes it on in pieces; called once for each pass. @throws as `downloadFile` */
export type BringArchive = <R>(use: (pieces: AsyncIterable<Uint8Array>) => Promise<R>) => Promise<R>;
