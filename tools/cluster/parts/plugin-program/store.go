package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// folderStore keeps objects as files: root/bucket/key.
type folderStore struct{ root string }

func (s *folderStore) Init(config map[string]string) (err error) {
	s.root, err = rootOf(config)
	return err
}

func (s *folderStore) file(bucket, key string) string { return filepath.Join(s.root, bucket, key) }

// PutObject writes beside the place first: a part must never be taken for the object.
func (s *folderStore) PutObject(bucket, key string, body io.Reader) error {
	path := s.file(bucket, key)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	unfinished, err := os.CreateTemp(s.root, "unfinished-")
	if err != nil {
		return err
	}
	defer os.Remove(unfinished.Name())
	_, err = io.Copy(unfinished, body)
	if err := errors.Join(err, unfinished.Close()); err != nil {
		return err
	}
	return os.Rename(unfinished.Name(), path)
}

func (s *folderStore) ObjectExists(bucket, key string) (bool, error) {
	_, err := os.Stat(s.file(bucket, key))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (s *folderStore) GetObject(bucket, key string) (io.ReadCloser, error) {
	file, err := os.Open(s.file(bucket, key))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no such object: %s", key)
	}
	return file, err
}

func (s *folderStore) ListCommonPrefixes(bucket, prefix, delimiter string) ([]string, error) {
	keys, err := s.ListObjects(bucket, prefix)
	if err != nil {
		return nil, err
	}
	var prefixes []string
	seen := map[string]bool{}
	for _, key := range keys {
		first, _, found := strings.Cut(key[len(prefix):], delimiter)
		common := prefix + first + delimiter
		if found && !seen[common] {
			seen[common] = true
			prefixes = append(prefixes, common)
		}
	}
	return prefixes, nil
}

func (s *folderStore) ListObjects(bucket, prefix string) ([]string, error) {
	var keys []string
	folder := filepath.Join(s.root, bucket)
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		key, err := filepath.Rel(folder, path)
		if err == nil && strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
		return err
	})
	return keys, err
}

func (s *folderStore) DeleteObject(bucket, key string) error {
	err := os.Remove(s.file(bucket, key))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func (s *folderStore) CreateSignedURL(bucket, key string, ttl time.Duration) (string, error) {
	return fmt.Sprintf("https://fixture.lateen.dev/%s/%s?ttl=%d", bucket, key, int(ttl.Seconds())), nil
}
