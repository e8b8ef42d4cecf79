"""Tests of an operator in Python, on a cluster of their own: `kubeloop up`, for as long as they run."""
import json
import os
import subprocess
import tempfile
import unittest

KUBELOOP = os.environ.get("KUBELOOP", "npx kubeloop").split()

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
"""


class WebTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.up = subprocess.Popen(
            [*KUBELOOP, "up", "--json", "--port", "0"], cwd=cls.folder.name, stdout=subprocess.PIPE, text=True
        )
        told = (json.loads(line) for line in cls.up.stdout)
        ready = next((line for line in told if line.get("event") == "ready"), None)
        if ready is None:
            raise RuntimeError("kubeloop up did not start")
        os.environ["KUBECONFIG"] = ready["kubeconfig"]  # what your client reads

    @classmethod
    def tearDownClass(cls):
        cls.up.terminate()
        cls.up.communicate()
        cls.folder.cleanup()

    def test_three_pods_run(self):
        subprocess.run([*KUBELOOP, "apply", "-f", "-"], input=WEB, text=True, check=True)
        subprocess.run([*KUBELOOP, "wait", "deployment/web", "--for=condition=Available"], check=True)
        pods = subprocess.run([*KUBELOOP, "get", "pods", "-o", "name"], capture_output=True, text=True, check=True)
        self.assertEqual(len(pods.stdout.split()), 3)


if __name__ == "__main__":
    unittest.main()
