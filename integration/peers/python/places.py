"""Where the peers and zargo meet, and the stores by which each library gets there."""

import json
import os
import urllib.parse

import zarr.storage

# Else gcsfs asks first, by gRPC and for a minute, of what kind the bucket is, which fake-gcs-server does not answer.
os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"


class Place:
    """A folder, or the URL that zargo takes: s3://, gs:// and azblob:// with a bucket and a prefix, or http://."""

    def __init__(self, url):
        u = urllib.parse.urlsplit(url)
        self.kind = u.scheme or "dir"
        self.url, self.bucket, self.prefix = url, u.netloc, u.path.strip("/")
        q = dict(urllib.parse.parse_qsl(u.query))
        self.endpoint = q.get("endpoint") or q.get("domain") and "http://" + q["domain"]
        self.region = q.get("region")

    def store(self, via):
        """zarr-python's store over "local", "obstore" or "fsspec"."""
        if via == "local":
            return zarr.storage.LocalStore(self.url)
        if via == "obstore":
            return zarr.storage.ObjectStore(getattr(self, "obstore_" + self.kind)())
        import fsspec

        protocol, options = getattr(self, "fsspec_" + self.kind)()
        path = self.url if self.kind in ("dir", "http") else f"{self.bucket}/{self.prefix}"
        fs = fsspec.filesystem(protocol, asynchronous=self.kind != "dir", skip_instance_cache=True, **options)
        if self.kind == "dir":
            from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

            fs = AsyncFileSystemWrapper(fs, asynchronous=True)
        return zarr.storage.FsspecStore(fs, path=path)

    def obstore_dir(self):
        from obstore.store import LocalStore

        return LocalStore(self.url, mkdir=True)

    def obstore_s3(self):
        from obstore.store import S3Store

        return S3Store(self.bucket, prefix=self.prefix, endpoint=self.endpoint, region=self.region,
                       access_key_id=os.environ["AWS_ACCESS_KEY_ID"], secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
                       virtual_hosted_style_request=False, client_options={"allow_http": True})

    def obstore_gs(self):
        from obstore.store import GCSStore

        nobody = {"gcs_base_url": self.endpoint, "disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}
        return GCSStore(self.bucket, prefix=self.prefix, service_account_key=json.dumps(nobody), client_options={"allow_http": True})

    def obstore_azblob(self):
        from obstore.store import AzureStore

        return AzureStore(self.bucket, prefix=self.prefix, account_name=os.environ["AZURE_STORAGE_ACCOUNT"],
                          account_key=os.environ["AZURE_STORAGE_KEY"], endpoint=self.account(), client_options={"allow_http": True})

    def obstore_http(self):
        from obstore.store import HTTPStore

        return HTTPStore(self.url, client_options={"allow_http": True})

    def fsspec_dir(self):
        return "file", {"auto_mkdir": True}

    def fsspec_s3(self):
        return "s3", {"key": os.environ["AWS_ACCESS_KEY_ID"], "secret": os.environ["AWS_SECRET_ACCESS_KEY"],
                      "endpoint_url": self.endpoint, "client_kwargs": {"region_name": self.region}}

    def fsspec_gs(self):
        return "gcs", {"endpoint_url": self.endpoint, "token": "anon", "project": "test"}

    def fsspec_azblob(self):
        name, key = os.environ["AZURE_STORAGE_ACCOUNT"], os.environ["AZURE_STORAGE_KEY"]
        return "abfs", {"account_name": name, "connection_string":
                        f"DefaultEndpointsProtocol=http;AccountName={name};AccountKey={key};BlobEndpoint={self.account()};"}

    def fsspec_http(self):
        return "http", {}

    def account(self):
        """Azurite keeps the account in the path."""
        return f"{self.endpoint}/{os.environ['AZURE_STORAGE_ACCOUNT']}"

    def kvstore(self, path):
        """TensorStore's."""
        below = f"{self.prefix}/{path}/"
        if self.kind == "dir":
            return {"driver": "file", "path": os.path.join(self.url, path) + "/"}
        if self.kind == "s3":
            return {"driver": "s3", "bucket": self.bucket, "path": below, "endpoint": self.endpoint, "aws_region": self.region}
        if self.kind == "gs":
            # TensorStore takes both from the environment only; a token keeps it from asking for one.
            os.environ["TENSORSTORE_GCS_HTTP_URL"] = self.endpoint
            os.environ["GOOGLE_AUTH_TOKEN_FOR_TESTING"] = "none"
            return {"driver": "gcs", "bucket": self.bucket, "path": below}
        if self.kind == "http":
            return {"driver": "http", "base_url": f"{self.url}/{path}/"}
        return {"driver": "azure", "bucket": self.bucket, "path": below}
